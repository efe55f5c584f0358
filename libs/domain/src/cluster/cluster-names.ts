import type { ClusterSettings, Plain } from '@muster/contracts';

const API_NAME = /^api\.([^.]+)\.(.+)$/;

/** Where day-2 hosts find the API: the first VIP when we manage it, else the name that its owner's DNS knows. */
export function openedApiName(settings: Plain<ClusterSettings>): string {
  const [vip] = settings.apiVips?.items ?? [];
  if (vip && !settings.userManagedNetworking) return vip;
  return `api.${settings.name ?? ''}.${settings.baseDnsDomain ?? ''}`;
}

/** Name and base domain of an imported cluster, where its API's name tells them; otherwise undefined. */
export function importedNames(
  apiVipDnsName: string,
): { readonly name: string; readonly baseDnsDomain: string } | undefined {
  const match = API_NAME.exec(apiVipDnsName);
  const [, name, baseDnsDomain] = match ?? [];
  return name && baseDnsDomain ? { name, baseDnsDomain } : undefined;
}
