/** Of Khronos' validator, what the tests use. */
declare module 'gltf-validator' {
  interface Report {
    readonly issues: { readonly numErrors: number; readonly numWarnings: number; readonly messages: readonly unknown[] }
  }
  const validator: { validateBytes(bytes: Uint8Array): Promise<Report> }
  export default validator
}
