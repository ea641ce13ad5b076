/** Where our figures differ from those of Chentanez and Müller 2011, and why. */
export const CHENTANEZ_MUELLER_REMARKS: Readonly<Record<'setting' | 'time' | 'residual' | 'contact', string>> = {
  setting: '',
  time: '',
  residual: '',
  contact: '',
}
