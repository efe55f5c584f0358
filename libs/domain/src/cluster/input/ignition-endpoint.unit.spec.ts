import { rootCertificates } from 'node:tls';
import { after, registration, START } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { clusterInputRefusal } from './input';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const [first = '', second = ''] = rootCertificates;

type Endpoint = { readonly url?: string; readonly ca_certificate?: string };

const ofNew = (ignitionEndpoint: Endpoint) =>
  clusterInputRefusal(registration({ ignitionEndpoint }), initialClusterState());
const ofPresent = (ignitionEndpoint: Endpoint, stored?: Endpoint) => {
  const state = after(registration());
  return clusterInputRefusal(
    { type: 'Revise', changes: { ignitionEndpoint }, pullSecretReplaced: false, at: START },
    { ...state, settings: { ...state.settings, ignitionEndpoint: stored } },
  );
};

describe('the Ignition endpoint of a cluster', () => {
  it.each<[string, Endpoint]>([
    ['a URL', { url: 'https://api.example.com:22623/config' }],
    ['a URL with an IPv6 address', { url: 'http://[fd00::5]:22624/config/' }],
    ['empty', { url: '', ca_certificate: '' }],
    ['a certificate', { ca_certificate: base64(first) }],
    ['two certificates in lines', { ca_certificate: base64(`${first}\n${second}\n`).replace(/.{76}/g, '$&\n') }],
  ])('may be %s', (_, endpoint) => {
    expect([ofNew(endpoint), ofPresent(endpoint)]).toEqual([undefined, undefined]);
  });

  it.each<[string, Endpoint, string, string]>([
    ['a URL without a scheme', { url: 'api.example.com:22623/config' }, 'url', 'is not a URL like https://'],
    ['a URL of another scheme', { url: 'ftp://api.example.com' }, 'url', 'is not a URL like https://'],
    ['a URL without a host', { url: 'https:///config' }, 'url', 'is not a URL like https://'],
    ['a URL with a wrong port', { url: 'https://api.example.com:99999' }, 'url', 'is not a URL like https://'],
    ['a URL with a blank', { url: 'https://api.example.com/my config' }, 'url', 'is not a URL like https://'],
    ['a URL with a wrong escape', { url: 'https://api.example.com/%zz' }, 'url', 'is not a URL like https://'],
    ['a URL with a brace in its host', { url: 'https://api{1}.example.com' }, 'url', 'is not a URL like https://'],
    ['PEM without base64', { ca_certificate: first }, 'ca_certificate', 'it is not base64.'],
    ['another text in base64', { ca_certificate: base64('ca') }, 'ca_certificate', 'it contains no PEM block'],
    [
      'an unreadable certificate',
      { ca_certificate: base64(first.replace(/\n[^\n]+/, '\nAAAA')) },
      'ca_certificate',
      'cannot be read as a certificate',
    ],
  ])('is refused with %s', (_, endpoint, member, reason) => {
    const subject = `ignition_endpoint.${member}`;
    const refusal = { code: 'invalid-input', subject, reason: expect.stringContaining(reason) };
    expect([ofNew(endpoint), ofPresent(endpoint)]).toEqual([refusal, refusal]);
  });

  it('keeps a member that was stored before it was checked', () => {
    const stored = { url: 'api.example.com', ca_certificate: 'Y2E=' };
    const changed = { ...stored, url: 'https://api.example.com' };
    expect(ofPresent(changed, stored)).toBeUndefined();
  });
});
