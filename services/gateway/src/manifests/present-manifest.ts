import { Type } from '@sinclair/typebox';
import { MANIFEST_FOLDERS, type Static, StringEnum } from '@muster/assisted-api';
import type { IgnitionService } from '@muster/contracts';
import type { OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';

/** `manifest` of the contract. */
export const V2_MANIFEST = Type.Object(
  {
    folder: StringEnum<string>(MANIFEST_FOLDERS),
    file_name: Type.String(),
    manifest_source: StringEnum<string>(['user', 'system']),
  },
  { title: 'manifest' },
);
export type V2Manifest = Static<typeof V2_MANIFEST>;

type Entry = OutputOf<typeof IgnitionService.method.listManifests>['manifests'][number];

export const presentManifest = ({ folder, fileName, source }: Entry): V2Manifest => ({
  folder,
  file_name: fileName,
  manifest_source: source,
});

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The same text in the one form that has no line breaks. Throws RefusalError when it is empty or not base64; the text is not repeated. */
export function checkBase64(field: string, text: string): string {
  const packed = text.replace(/\s+/g, '');
  if (packed !== '' && BASE64.test(packed)) return packed;
  throw new RefusalError({
    code: 'invalid-input',
    reason: packed === '' ? `${field} is empty.` : `${field} is not base64.`,
    subject: field,
  });
}
