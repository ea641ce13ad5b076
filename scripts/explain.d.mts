export class SetUpError extends Error {
  output: string
}
export function explain(error: Error, root: string): SetUpError
export function explainInstall(output: string, code: number | null, root: string): SetUpError
export function explainBuild(output: string, code: number | null, root: string): SetUpError
