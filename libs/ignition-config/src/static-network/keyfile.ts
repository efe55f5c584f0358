/** Settings of one section of a NetworkManager keyfile; undefined ones are left out. */
export type KeyfileSettings = { readonly [key: string]: string | number | boolean | undefined };

export interface KeyfileSection {
  readonly name: string;
  readonly settings: KeyfileSettings;
}

/** NetworkManager's keyfile format. Line breaks cannot be written in it, so they become blanks. */
export function formatKeyfile(sections: readonly KeyfileSection[]): string {
  return sections
    .map(({ name, settings }) => {
      const lines = Object.entries(settings).flatMap(([key, value]) =>
        value === undefined ? [] : [`${key}=${String(value).replace(/[\r\n]+/g, ' ')}`],
      );
      return `[${name}]\n${lines.map((line) => `${line}\n`).join('')}`;
    })
    .join('\n');
}
