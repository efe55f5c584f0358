import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration, revise } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { brokenInputRule } from './input';

type Settings = Plain<ClusterSettings>;
type More = Parameters<typeof registration>[1];

const DAY_2 = { kind: 'AddHostsCluster' } as const;
const IMPORTED = { ...DAY_2, imported: true };
const brokenIn = (settings: Settings, more: More = {}) =>
  brokenInputRule(registration(settings, more), initialClusterState());
const brokenBy = (changes: Settings, registered: Settings = {}, more: More = {}) =>
  brokenInputRule(revise(changes), after(registration(registered, more)));

describe('a revision of one field', () => {
  it.each<[string, string, Settings]>([
    ['name-usable', 'name', { name: 'Prod' }],
    ['base-domain-is-dns-name', 'base_dns_domain', { baseDnsDomain: 'exa mple' }],
    ['version-readable', 'openshift_version', { openshiftVersion: 'newest' }],
    ['release-image-readable', 'ocp_release_image', { ocpReleaseImage: '--to=/etc' }],
    ['ssh-key-readable', 'ssh_public_key', { sshPublicKey: 'my key' }],
    ['http-proxy-is-url', 'http_proxy', { proxy: { httpProxy: 'proxy.example.com' } }],
    ['https-proxy-is-url', 'https_proxy', { proxy: { httpsProxy: 'proxy.example.com' } }],
    ['no-proxy-names-places', 'no_proxy', { proxy: { noProxy: 'not a name' } }],
    ['ntp-sources-are-hosts', 'additional_ntp_source', { additionalNtpSource: 'not a host' }],
    ['only-ntp-sources-are-hosts', 'ntp_sources', { ntpSources: 'not a host' }],
    ['tags-are-words', 'tags', { tags: 'a,,b' }],
    ['api-name-of-day-2-only', 'api_vip_dns_name', { apiVipDnsName: 'api.example.com' }],
  ])('is checked by %s of %s', (id, subject, changes) => {
    const found = brokenBy(changes);
    expect([found?.rule.id, found?.rule.subject]).toEqual([id, subject]);
  });

  it('of NTP sources replaces the other field, and only both in one request are refused', () => {
    const [own, more] = [{ ntpSources: 'a.example.com' }, { additionalNtpSource: 'b.example.com' }];
    expect(brokenBy(own, more)).toBeUndefined();
    expect(brokenBy(more, own)).toBeUndefined();
    expect(brokenBy({ ...own, ...more })?.rule.id).toBe('one-way-to-name-ntp-sources');
  });

  it('checks the name again when another platform is set', () => {
    const none = { name: 'a.b', platformType: 'none', userManagedNetworking: true };
    expect(brokenBy({ platformType: 'external' }, none)?.rule.id).toBe('name-usable');
    expect(brokenBy({ userManagedNetworking: false }, none)?.rule.id).toBe('name-usable');
  });
});

describe('the name of a cluster', () => {
  it.each<[string, Settings, More, boolean]>([
    ['has at most 54 characters', { name: 'a'.repeat(54) }, {}, true],
    ['has no more characters', { name: 'a'.repeat(55) }, {}, false],
    ['has a dot on platform none', { name: 'a.b', platformType: 'none' }, {}, true],
    ['has no dot on other platforms', { name: 'a.b', platformType: 'vsphere' }, {}, false],
    ['has dots on day 2', { name: 'a.b', platformType: 'baremetal' }, DAY_2, true],
    ['ends with a letter or digit', { name: 'a-' }, {}, false],
  ])('%s', (_case, settings, more, isAccepted) => {
    expect(brokenIn(settings, more) === undefined).toBe(isAccepted);
  });

  it('is named in the refusal', () => {
    expect(brokenIn({ name: 'Prod' })?.broken).toEqual({
      reason:
        'The name "Prod" is not valid. Use at most 54 lower-case letters, digits and hyphens, beginning and ending with a letter or digit. Dots are allowed with platform none only.',
    });
    expect(brokenIn({ baseDnsDomain: 'Example.com' })?.broken.reason).toMatch(
      /^base_dns_domain "Example\.com" is not a DNS name like example\.com\./,
    );
  });
});

describe('the version of a cluster', () => {
  it.each<[string, string, More, boolean]>([
    ['4.18', 'is required', {}, true],
    ['4.18.3-multi', 'may have a suffix', {}, true],
    ['', 'is not empty', {}, false],
    ['', 'may be empty on day 2', DAY_2, true],
    ['newest', 'is a number on day 2', DAY_2, false],
  ])('"%s" %s', (openshiftVersion, _case, more, isAccepted) => {
    expect(brokenIn({ openshiftVersion }, more) === undefined).toBe(isAccepted);
  });
});

describe('the release image of a cluster', () => {
  it('may be absent or a reference, and long texts are shortened in the refusal', () => {
    expect(brokenIn({ ocpReleaseImage: '' })).toBeUndefined();
    expect(brokenIn({ ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release@sha256:abc' })).toBeUndefined();
    expect(brokenIn({ ocpReleaseImage: ` ${'x'.repeat(200)}` })?.broken.reason).toContain(`' ${'x'.repeat(127)}'`);
  });
});

describe('the proxies and tags of a cluster', () => {
  it('are named in the refusal with the allowed schemes, without the password of the URL', () => {
    expect(brokenIn({ proxy: { httpProxy: 'https://me:secret@proxy' } })?.broken).toEqual({
      reason: 'http_proxy is not an address like http://proxy.example.com:3128.',
      allowed: ['http:'],
    });
    expect(brokenIn({ proxy: { httpsProxy: 'ftp://me:secret@proxy' } })?.broken).toEqual({
      reason: 'https_proxy is not an address like http://proxy.example.com:3128.',
      allowed: ['http:', 'https:'],
    });
  });

  it.each([
    ['', true],
    ['a', true],
    ['a b,c_1', true],
    ['a, b', false],
    ['a,', false],
    ['a-b', false],
  ])('"%s" as tags are accepted: %s', (tags, isAccepted) => {
    expect(brokenIn({ tags }) === undefined).toBe(isAccepted);
  });
});

describe('the name of the API of an installed cluster', () => {
  it('is checked under the name of the field in the request', () => {
    expect(brokenIn({ apiVipDnsName: 'a b' }, IMPORTED)?.broken.subject).toBe('api_vip_dnsname');
    expect(brokenIn({ apiVipDnsName: 'a b' }, DAY_2)?.broken.subject).toBe('api_vip_dns_name');
    expect(brokenBy({ apiVipDnsName: 'a b' }, { apiVipDnsName: 'api.lab.example.com' }, IMPORTED)?.broken.subject).toBe(
      'api_vip_dns_name',
    );
  });

  it.each(['api.lab.example.com', '192.168.1.5', 'fd00::5'])('may be %s', (apiVipDnsName) => {
    expect(brokenIn({ apiVipDnsName }, DAY_2)).toBeUndefined();
  });
});
