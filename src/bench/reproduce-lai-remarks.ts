/** Where our figures differ from those of Lai 2020, and why. */
export const LAI_REMARKS: {
  readonly setting: string
  readonly scaling: string
  readonly histogram: string
  readonly weights: string
  readonly figures: string
  readonly tables: Readonly<Record<number, string>>
} = {
  setting: '',
  scaling: '',
  histogram: '',
  weights: '',
  figures: '',
  tables: {},
}
