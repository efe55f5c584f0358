import { readFileSync } from 'node:fs';
import type { SettingsReader } from './settings-reader';
import type { SETTINGS, SettingName } from './settings.table';

/** Settings whose value is a path or absent. */
type FileSetting = {
  [Name in SettingName]: (typeof SETTINGS)[Name]['fallback'] extends string | undefined ? Name : never;
}[SettingName];

/** The content of the file that a setting names; undefined when it is not set. A file that cannot be read is rejected. */
export function readFileSetting(settings: SettingsReader, name: FileSetting): string | undefined {
  const path = settings.get(name);
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    settings.reject(name, path, 'the path of a file that can be read');
    return undefined;
  }
}

/** PEM texts of the private key and the certificate of an HTTPS endpoint. */
export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
}

/** HTTPS_KEY_FILE and HTTPS_CERT_FILE: both or none. */
export function readTlsFiles(settings: SettingsReader): TlsFiles | undefined {
  const [key, cert] = [readFileSetting(settings, 'HTTPS_KEY_FILE'), readFileSetting(settings, 'HTTPS_CERT_FILE')];
  if (key !== undefined && cert !== undefined) return { key, cert };
  const missing = settings.isSet('HTTPS_KEY_FILE') ? 'HTTPS_CERT_FILE' : 'HTTPS_KEY_FILE';
  const isOneGiven = settings.isSet('HTTPS_KEY_FILE') !== settings.isSet('HTTPS_CERT_FILE');
  if (isOneGiven) settings.reject(missing, '', 'a PEM file too, or neither HTTPS_KEY_FILE nor HTTPS_CERT_FILE');
  return undefined;
}
