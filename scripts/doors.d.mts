export const doors: Readonly<Record<string, string>>
export const doorAliases: { find: RegExp; replacement: string }[]
