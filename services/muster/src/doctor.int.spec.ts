import { statfsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { basename, join } from 'node:path';
import type { Environment } from '@muster/nest-kit';
import { allFindings, findingText, localFindings } from './doctor';
import { reachableAddresses, realSurroundings } from './probes';

describe('the connection test of the doctor command', () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  });
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => proxy.close());
  beforeEach(() => seen.splice(0));

  it('uses the proxies of the settings, as downloads of base images do', async () => {
    const { failureOf } = realSurroundings({ HTTP_PROXY: url, HTTPS_PROXY: url });
    expect(await failureOf('http://images.example.com')).toBeUndefined();
    expect(await failureOf('https://images.example.com')).toMatch(/answered 403 to CONNECT images\.example\.com:443/);
    expect(seen).toEqual(['HEAD http://images.example.com/', 'CONNECT images.example.com:443']);
  });

  it('reports a server that cannot be reached', async () => {
    expect(await realSurroundings({}).failureOf('http://127.0.0.1:1')).toMatch(/ECONNREFUSED/);
  });
});

describe('the image files', () => {
  it.each([
    [`file://${__filename}`, undefined],
    [basename(__filename), undefined],
    ['absent.iso', /ENOENT/],
    ['../absent.iso', /outside of IMAGE_DIRECTORY/],
    ['ftp://images.example.com/live.iso', /only http, https and file URLs/],
    [
      'http://user:canary@images.example.com:PORT/live.iso',
      /^The url "http:\/\/images\.\S+ in OS_IMAGES .* not a URL$/,
    ],
  ])('are found as by the image service: %s', async (url, failure) => {
    const found = await realSurroundings({ IMAGE_DIRECTORY: __dirname }).failureOf(url);
    expect(found).toEqual(failure && expect.stringMatching(failure));
  });
});

describe('the images of the settings', () => {
  const imagesAt = (url: string): Environment => ({
    OS_IMAGES: JSON.stringify([{ openshift_version: '4.18', cpu_architecture: 'x86_64', version: '1', url }]),
  });

  it('are on a server also with a scheme in capitals, and their password is not shown', async () => {
    const environment = imagesAt('HTTP://user:canary@127.0.0.1:1/live.iso');
    const texts = (await allFindings(environment, realSurroundings(environment))).map(findingText);
    expect(texts).toContainEqual(
      expect.stringMatching(/^catalogue: The image server http:\/\/127\.0\.0\.1:1 in OS_IMAGES/),
    );
    expect(texts.join()).not.toContain('canary');
  });

  it.each([
    ['https://images.example.com/live.iso', 1],
    ['HTTPS://images.example.com/live.iso', 1],
    ['live.iso', 0],
    ['file:///srv/live.iso', 0],
  ])('need space only when they are downloaded: %s', async (url, warnings) => {
    const environment = imagesAt(url);
    const around = { ...realSurroundings(environment), freeBytes: () => Promise.resolve(1024 ** 3) };
    const findings = (await localFindings(environment, around)).filter(({ check }) => check === 'disk');
    expect(findings).toHaveLength(warnings);
  });
});

describe('a program', () => {
  it.each([
    [process.execPath, true],
    [__filename, false],
    [__dirname, false],
  ])('is an executable file: %s', async (path, isProgram) => {
    expect(await realSurroundings({}).canExecute(path)).toBe(isProgram);
  });
});

describe('a directory', () => {
  it.each([
    [__dirname, true],
    ['/dev/shm/muster-absent/data', true],
    [__filename, false],
    [join(__filename, 'data'), false],
  ])('can be written, or created: %s', async (path, canBeWritten) => {
    expect(await realSurroundings({}).canWrite(path)).toBe(canBeWritten);
  });
});

describe('the addresses of this machine', () => {
  const address = (text: string, family: 'IPv4' | 'IPv6', scopeid = 0): NetworkInterfaceInfo =>
    family === 'IPv4'
      ? { address: text, family, netmask: '', mac: '', internal: false, cidr: null }
      : { address: text, family, scopeid, netmask: '', mac: '', internal: false, cidr: null };

  it('are in the form of a URL, those of IPv4 first, without those of one link', () => {
    const interfaces = [address('fe80::7', 'IPv6', 2), address('fd00::7', 'IPv6'), address('192.0.2.7', 'IPv4')];
    expect(reachableAddresses({ lo: undefined, eth0: interfaces })).toEqual(['192.0.2.7', '[fd00::7]']);
    expect(reachableAddresses({ lo: [{ ...address('::1', 'IPv6'), internal: true }] })).toEqual([]);
  });
});

describe('the free space', () => {
  it('of a directory that does not exist yet is that of its disk', async () => {
    const { blocks, bsize } = statfsSync('/dev/shm');
    const free = await realSurroundings({}).freeBytes('/dev/shm/muster-absent/data');
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(blocks * bsize);
  });
});
