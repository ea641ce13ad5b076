/** Where our figures differ from those of McAdams 2010, and why. */
export const MCADAMS_REMARKS: {
  readonly setting: string
  readonly speed: string
  readonly breakdown: string
  readonly growth: string
  readonly figures: string
  readonly methods: Readonly<Record<string, string>>
} = {
  setting: '',
  speed: '',
  breakdown: '',
  growth: '',
  figures: '',
  methods: {},
}
