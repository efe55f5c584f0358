import type { DomainReport } from '../steps/step-work';

/** Looks one name up; empty lists when it does not exist. */
export interface NameLookup {
  addresses(name: string): Promise<readonly { readonly address: string; readonly family: number }[]>;
  canonicalNames(name: string): Promise<readonly string[]>;
}

export async function resolveDomains(domains: readonly string[], lookup: NameLookup): Promise<DomainReport> {
  const resolutions = domains.map(async (domain_name) => {
    const [addresses, cnames] = await Promise.all([lookup.addresses(domain_name), lookup.canonicalNames(domain_name)]);
    const ofFamily = (family: number): string[] =>
      addresses
        .filter((one) => one.family === family)
        .map(({ address }) => address)
        .sort();
    return { domain_name, ipv4_addresses: ofFamily(4), ipv6_addresses: ofFamily(6), cnames };
  });
  return { resolutions: await Promise.all(resolutions) };
}
