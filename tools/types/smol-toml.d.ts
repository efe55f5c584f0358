/** What is used of the package; its own types say that it cannot be required, which it can. */
export function parse(text: string): unknown;
