/** Where our figures differ from those of Andersen 2017, and why. */
export const ANDERSEN_REMARKS: {
  readonly setting: string
  readonly slowdown: string
  readonly counts: string
  readonly quartiles: string
  readonly inner: Readonly<Record<string, string>>
  readonly xi: string
  readonly volume: string
} = {
  setting: '',
  slowdown: '',
  counts: '',
  quartiles: '',
  inner: {},
  xi: '',
  volume: '',
}
