import { type NameLookup, resolveDomains } from './service-checks';

const [OWN, FOREIGN] = ['api.edge.example', 'registry.example'];

/** Returns the result of each check in sequence. `refusals`: the names for which DNS fails in each of them. */
const checks = async (...refusals: readonly (readonly string[])[]): Promise<readonly string[]> => {
  const failures = new Map<string, number>();
  const results: string[] = [];
  for (const refused of refusals) {
    const lookup: NameLookup = {
      addresses: async (name) => {
        if (refused.includes(name)) throw new Error(`getaddrinfo EAI_AGAIN ${name}`);
        return [{ address: '192.0.2.1', family: 4 }];
      },
      canonicalNames: async () => [],
    };
    const found = resolveDomains([OWN, FOREIGN], lookup, failures);
    results.push(
      await found.then(
        ({ resolutions }) => resolutions.map(({ ipv4_addresses: addresses }) => addresses.length).join(),
        (error: Error) => error.message,
      ),
    );
  }
  return results;
};

describe('a name that the DNS servers of the host refuse', () => {
  const failed = `getaddrinfo EAI_AGAIN ${FOREIGN}`;

  it('has no addresses once its failure lasts, so that the other names are reported', async () => {
    const only = [FOREIGN];
    expect(await checks(only, only, only, only)).toEqual([failed, failed, '1,0', '1,0']);
  });

  it('is waited for again after it was answered', async () => {
    const only = [FOREIGN];
    expect(await checks(only, only, [], only)).toEqual([failed, failed, '1,1', failed]);
  });

  it('is not reported while no name is answered', async () => {
    const all = [OWN, FOREIGN];
    const none = `getaddrinfo EAI_AGAIN ${OWN}`;
    expect(await checks(all, all, all, all)).toEqual([none, none, none, none]);
  });
});

it('the addresses of a name are reported by family, sorted because DNS servers change their order', async () => {
  const found = ['2001:db8::2', '192.0.2.2', '2001:db8::1', '192.0.2.1'];
  const lookup: NameLookup = {
    addresses: async () => found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    canonicalNames: async () => ['lb.edge.example'],
  };
  const [ipv4_addresses, ipv6_addresses] = [
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8::1', '2001:db8::2'],
  ];
  expect(await resolveDomains([OWN], lookup, new Map())).toEqual({
    resolutions: [{ domain_name: OWN, ipv4_addresses, ipv6_addresses, cnames: ['lb.edge.example'] }],
  });
});
