import type { ClusterSettings, Plain } from '@muster/contracts';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';

type ProxySetting = Plain<ClusterSettings>['proxy'];

/** URLs with their credentials; empty where there is none. */
export interface ProxyUrls {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** What is sealed of a proxy: the URLs that had credentials in them, and those that came along. */
export type SealedProxy = Pick<ProxyUrls, 'httpProxy' | 'httpsProxy'>;

/**
 * The proxy as whoever has to use it needs it; facts have it with a mask. `scope`: id of the cluster or infra-env whose
 * setting it is. Throws RefusalError `not-ready` when its credentials are lost.
 */
export async function openProxy(secrets: Secrets, scope: string, setting: ProxySetting): Promise<ProxyUrls> {
  const urls = {
    httpProxy: setting?.httpProxy ?? '',
    httpsProxy: setting?.httpsProxy ?? '',
    noProxy: setting?.noProxy ?? '',
  };
  if (!setting?.sealedAs) return urls;
  const sealed = await openSealedProxy(secrets, scope, setting.sealedAs);
  if (sealed) return { ...urls, ...sealed };
  throw new RefusalError({
    code: 'not-ready',
    reason: 'User and password of the proxy were given and cannot be found among the secrets; give the proxy again.',
    subject: 'http_proxy',
  });
}

/** Undefined when it is lost. */
export async function openSealedProxy(
  secrets: Secrets,
  scope: string,
  sealedAs: string,
): Promise<SealedProxy | undefined> {
  const sealed = await secrets.open(scope, sealedAs);
  return sealed && (JSON.parse(sealed.toString()) as SealedProxy);
}
