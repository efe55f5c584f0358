import { Buffer } from 'node:buffer';
import type { IgnitionConfig, IgnitionFile } from './ignition-config';

/** Returns a data URL that contains the text in UTF-8. The files of a bootstrap host have hundreds of kilobytes. */
export const toDataUrl = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;

/** Returns the content of a data URL, read as UTF-8. Undefined for other URLs. */
export function fromDataUrl(url: string): string | undefined {
  const parts = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url);
  if (!parts) return undefined;
  const [, isBase64, body = ''] = parts;
  try {
    const text = decodeURIComponent(body);
    if (!isBase64) return text;
    return new TextDecoder().decode(Buffer.from(atob(text), 'latin1'));
  } catch {
    return undefined;
  }
}

export const MODE_READABLE = 0o644;
export const MODE_PRIVATE = 0o600;
export const MODE_EXECUTABLE = 0o755;

/** Returns a file that replaces an existing file of the image. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Returns the text of a file in the config. Undefined when the config has no such file or only a remote one. */
export function readTextFile(config: IgnitionConfig, path: string): string | undefined {
  const source = config.storage?.files?.findLast((file) => file.path === path)?.contents?.source;
  return source === undefined ? undefined : fromDataUrl(source);
}
