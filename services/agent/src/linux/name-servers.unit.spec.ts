import dns from 'node:dns/promises';
import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

it('each check of names asks the present name servers of the machine, because a resolver keeps those of its start', async () => {
  const lookup = jest.spyOn(dns, 'lookup').mockResolvedValue([] as never);
  const kept = jest.spyOn(dns, 'resolveCname').mockResolvedValue(['old.example.com']);
  const resolver = jest.spyOn(dns, 'Resolver').mockImplementation(() => ({ resolveCname: async () => [] }) as never);
  const { result } = await step(linuxMachine(recorded({})), 'domain-resolution', { domains: [{ domain_name: 'a.b' }] });
  for (const spy of [lookup, kept, resolver]) spy.mockRestore();
  expect(result).toEqual({ resolutions: [{ domain_name: 'a.b', ipv4_addresses: [], ipv6_addresses: [], cnames: [] }] });
});
