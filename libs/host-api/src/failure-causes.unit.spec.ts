import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainFailure, FAILURE_CAUSES } from './failure-causes';
import { ServiceUnreachable } from './http/http-client';

const errorOf = (code: string, message: string) => Object.assign(new Error(message), { code });

describe('explanation of a failure', () => {
  it('has a cause and a remedy in every row, each a sentence', () => {
    for (const { cause, remedy } of FAILURE_CAUSES)
      for (const text of [cause, remedy]) expect(text).toMatch(/^[A-Z][^]*\.$/);
  });

  it.each([
    ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /clock of this host.*NTP source/],
    ['CERT_HAS_EXPIRED', 'certificate has expired', /has expired/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /SERVICE_CA_CERT_PATH/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", /another name/],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH 192.0.2.1:443', /no route/],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND muster.example.com', /cannot be resolved/],
    ['ECONNREFUSED', 'connect ECONNREFUSED 192.0.2.1:443', /Nothing listens/],
    ['ECONNRESET', 'socket hang up', /ended before it was complete/],
  ])('is part of the message when the service does not answer: %s', (code, message, expected) => {
    expect(new ServiceUnreachable('https://192.0.2.1', errorOf(code, message)).message).toMatch(expected);
  });

  it.each([
    'read ECONNRESET',
    'socket hang up',
    'Error: initializing source docker://quay.io/agent:1: read tcp: connection reset by peer',
  ])('of a connection that ends does not ask to reset the host, which would discard the installation: %s', (text) => {
    expect(explainFailure(text)).toMatch(/^The answer of the server ended before it was complete\. (?!.*reset)/);
  });

  it.each([
    '"shutdown -r +1" ended with exit code 1: Failed to schedule shutdown: Connection timed out',
    '"systemctl start bootkube.service" ended with exit code 1: Failed to get properties: Connection timed out',
  ])('of a busy systemd does not send the user to the firewall: %s', (text) => {
    expect(explainFailure(text)).toMatch(/^The service manager systemd did not answer in time\. .*memory/);
    expect(explainFailure(text.replace(/"[^"]*"/, '"curl http://192.0.2.1"'))).toMatch(/firewall/);
  });

  it('has the causes that the guide for hardware quotes', () => {
    const guide = readFileSync(join(__dirname, '../../../docs/install-on-hardware.md'), 'utf8');
    const [, table = ''] = /^\| cause +\| remedy +\|\n\|[ |-]+\|\n((?:\|.*\n)+)/m.exec(guide) ?? [];
    const quoted = [...table.matchAll(/^\| (.*?) +\|/gm)].flatMap(([, cell = '']) => cell.split(' / '));
    expect(quoted.length).toBeGreaterThan(5);
    const causes = FAILURE_CAUSES.map(({ cause }) => cause);
    expect(quoted.filter((text) => !causes.includes(`${text}.`))).toEqual([]);
  });

  it('is omitted when the failure is unknown', () => {
    expect(explainFailure('exit code 3')).toBeUndefined();
    expect(new ServiceUnreachable('http://x', new Error('odd')).message).toBe('No answer from http://x: odd');
  });
});
