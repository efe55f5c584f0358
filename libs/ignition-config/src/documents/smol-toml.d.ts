/** The types of the package say that it is ESM only, although `require` works. This declares the only function in use. */
declare module 'smol-toml' {
  export function parse(text: string): unknown;
}
