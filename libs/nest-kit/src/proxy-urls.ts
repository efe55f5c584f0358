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

/** The sealed part of a proxy setting: the URLs, when one of them has credentials. */
export type SealedProxy = Pick<ProxyUrls, 'httpProxy' | 'httpsProxy'>;

/**
 * The proxy URLs with their credentials; events contain them masked. `scope` is the id of the cluster or infra-env with this
 * setting.
 * @throws RefusalError `not-ready` when the sealed credentials are missing
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
    reason: 'The stored credentials of the proxy are missing. Set the proxy again.',
    subject: 'http_proxy',
  });
}

/** Undefined when the secret is missing. */
export async function openSealedProxy(
  secrets: Secrets,
  scope: string,
  sealedAs: string,
): Promise<SealedProxy | undefined> {
  const sealed = await secrets.open(scope, sealedAs);
  return sealed && (JSON.parse(sealed.toString()) as SealedProxy);
}
