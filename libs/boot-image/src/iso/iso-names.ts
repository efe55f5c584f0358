/**
 * The identifier that an ISO 9660 level 1 writer makes of a file name: `kargs.json` → `KARGS.JSO`.
 * CoreOS images carry these beside the Rock Ridge names, and some of the tools that read them look only at these.
 */
export function toIsoName(name: string): string {
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const extension = dot > 0 ? name.slice(dot + 1) : '';
  const clean = (part: string, length: number) =>
    part
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, '_')
      .slice(0, length);
  return extension === '' ? clean(stem, 8) : `${clean(stem, 8)}.${clean(extension, 3)}`;
}

/** A path as its components; `/a/b`, `a/b` and `a//b` are the same. */
export function splitPath(path: string): string[] {
  return path.split('/').filter((component) => component !== '');
}
