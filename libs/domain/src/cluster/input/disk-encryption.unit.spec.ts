import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration, START } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { clusterInputRefusal } from './input';

const TANG = { enable_on: 'all', mode: 'tang' };
const SERVER = { url: 'http://tang.example.com:7500', thumbprint: 'PLjNyRdGw03zlRoGjQYMahSZGu9' };
const text = (...servers: readonly Readonly<Record<string, string>>[]): string => JSON.stringify(servers);

type Encryption = NonNullable<Plain<ClusterSettings>['diskEncryption']>;

const ofNew = (diskEncryption: Encryption) =>
  clusterInputRefusal(registration({ diskEncryption }), initialClusterState());
const ofPresent = (diskEncryption: Encryption) =>
  clusterInputRefusal(
    { type: 'Revise', changes: { diskEncryption }, pullSecretReplaced: false, at: START },
    after(registration()),
  );

const REFUSED: readonly (readonly [string, Encryption])[] = [
  ['absent', TANG],
  ['empty', { ...TANG, tang_servers: '' }],
  ['no list', { ...TANG, tang_servers: JSON.stringify(SERVER) }],
  ['an empty list', { ...TANG, tang_servers: '[]' }],
  ['no JSON', { ...TANG, tang_servers: 'http://tang.example.com' }],
  ['without a URL', { ...TANG, tang_servers: text({ ...SERVER, url: 'tang.example.com' }) }],
  ['repeated', { ...TANG, tang_servers: text(SERVER, { ...SERVER, thumbprint: 'other' }) }],
  ...['http://tang.example.com/%zz', 'http://tang.example.com:port', 'http://tang{1}'].map(
    (url) => [`at ${url}`, { ...TANG, tang_servers: text({ ...SERVER, url }) }] as const,
  ),
  ['without a thumbprint', { ...TANG, tang_servers: text(SERVER, { ...SERVER, thumbprint: '' }) }],
];

describe('the Tang servers of a cluster', () => {
  it.each([
    ['servers', { ...TANG, tang_servers: text(SERVER, { ...SERVER, url: 'https://10.0.0.1/tang' }) }],
    ['no servers while no disk is encrypted', { ...TANG, enable_on: 'none' }],
    ['no servers before roles are selected', { mode: 'tang' }],
    ['any text with another mode', { enable_on: 'all', mode: 'tpmv2', tang_servers: 'x' }],
  ])('may be %s', (_, diskEncryption) => {
    expect([ofNew(diskEncryption), ofPresent(diskEncryption)]).toEqual([undefined, undefined]);
  });

  it.each(REFUSED)('are refused when they are %s', (_, diskEncryption) => {
    const refusal = {
      code: 'invalid-input',
      subject: 'disk_encryption.tang_servers',
      reason: expect.stringContaining('[{"url": "http://tang.example.com:7500", "thumbprint": "…"}]'),
    };
    expect([ofNew(diskEncryption), ofPresent(diskEncryption)]).toEqual([refusal, refusal]);
  });
});
