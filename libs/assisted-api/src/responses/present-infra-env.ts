import type { InfraEnvDocument } from './documents';
import { stripInternals } from './strip-internals';
import { UNSET_TIME } from './wire-time';
import type { V2InfraEnv } from './v2-infra-env';

/** `infra-env` of the contract. The URL is signed when it is asked for, so it is never part of the document. */
export function presentInfraEnv(
  document: InfraEnvDocument,
  download: { readonly url?: string; readonly expiresAt?: string; readonly generatorVersion?: string } = {},
): V2InfraEnv {
  const infraEnv = stripInternals(document);
  if (download.url) infraEnv.download_url = download.url;
  if (download.generatorVersion) infraEnv.generator_version = download.generatorVersion;
  infraEnv.expires_at = download.expiresAt ?? UNSET_TIME;
  return infraEnv as V2InfraEnv;
}
