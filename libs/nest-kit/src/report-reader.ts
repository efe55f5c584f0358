import { createHash } from 'node:crypto';
import { createReportReader, type Digest } from '@muster/inventory';
import type { SettingsReader } from './settings/settings-reader';

/** `sha256:<64 hex digits>` of the text in UTF-8, as the object store names documents. */
export const sha256Digest: Digest = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export type ReadReport = ReturnType<typeof createReportReader>;

/** The reader of step outputs with the settings of this deployment. */
export const readReportReader = (settings: SettingsReader): ReadReport =>
  createReportReader({
    keepsVirtualInterfaces: settings.get('ENABLE_VIRTUAL_INTERFACES'),
    digest: sha256Digest,
  });
