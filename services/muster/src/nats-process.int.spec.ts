import { readFileSync } from 'node:fs';
import { connectNatsRequests, NatsUnreachable } from '@muster/adapter-nats';
import { SettingsReader } from '@muster/nest-kit';
import { temporaryDirectory } from '@muster/testing';
import { busTls } from './embedded';
import { type NatsProcess, startNats } from './nats-process';

const tlsOf = (environment: { readonly [name: string]: string }) => busTls(new SettingsReader(environment));

describe('TLS of the bus', () => {
  it('is required on addresses other than loopback unless NATS_TLS is off', () => {
    expect(tlsOf({})).toBeUndefined();
    expect(tlsOf({ NATS_HOST: '127.0.0.1' })).toBeUndefined();
    expect(tlsOf({ NATS_HOST: '0.0.0.0', NATS_TLS: 'off' })).toBeUndefined();
    expect(tlsOf({ NATS_TLS: 'on' })).toEqual({ own: expect.arrayContaining(['127.0.0.1']) });
    expect(tlsOf({ NATS_HOST: '0.0.0.0', AGENT_NATS_URL: 'nats://bus.example.com:4222' })).toEqual({
      own: expect.arrayContaining(['0.0.0.0', '127.0.0.1', 'bus.example.com']),
    });
  });

  it('requires the three files of a certificate together', () => {
    const files = { NATS_CERT_FILE: '/c', NATS_KEY_FILE: '/k', NATS_CA_FILE: '/a' };
    expect(tlsOf(files)).toEqual({ certFile: '/c', keyFile: '/k', caFile: '/a' });
    expect(() => tlsOf({ NATS_CERT_FILE: '/c' })).toThrow('belong together');
    expect(() => tlsOf({ ...files, NATS_TLS: 'off' })).toThrow('NATS_TLS=off');
  });

  describe('of a child process that listens on every address', () => {
    const directory = temporaryDirectory();
    let nats: NatsProcess | undefined;
    afterAll(async () => {
      await nats?.stop();
      directory.remove();
    });

    it('admits services with its certificate authority and refuses connections without TLS', async () => {
      nats = await startNats({
        directory: directory.path,
        host: '0.0.0.0',
        port: 0,
        tls: tlsOf({ NATS_HOST: '0.0.0.0' }),
        onExit: () => undefined,
      });
      const { url, serviceCredentials: credentials, caFile = '' } = nats;
      const caPem = readFileSync(caFile, 'utf8');
      for (const servers of [url, url.replace('0.0.0.0', '127.0.0.1')]) {
        const requests = await connectNatsRequests({ servers, name: 'test', credentials, caPem });
        expect(requests.isConnected()).toBe(true);
        await requests.close();
      }
      await expect(connectNatsRequests({ servers: url, name: 'test', credentials })).rejects.toThrow(NatsUnreachable);
    });
  });
});
