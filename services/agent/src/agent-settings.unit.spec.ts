import { parseCommandLine, settingsOf } from './agent-settings';

const ID = '0b5e6f0e-6f4b-4f0e-9a55-4a8f3a5b8f10';
const NEEDED = ['--url', 'http://m:8090', '--infra-env-id', ID, '--agent-version', 'quay.io/agent:1'];

describe('the command line of the agent', () => {
  it('accepts the flags of assisted-installer-agent', () => {
    const line = parseCommandLine([...NEEDED, '-interval', '30', '--insecure=false', '--with-journal-logging=false']);
    expect(line).toMatchObject({ url: 'http://m:8090', infraEnvId: ID, intervalSeconds: 30, isInsecure: false });
    expect(parseCommandLine(['--insecure']).isInsecure).toBe(true);
    expect(parseCommandLine([])).toMatchObject({ intervalSeconds: 60, isRegistered: false });
    expect(parseCommandLine(['--registered']).isRegistered).toBe(true);
  });

  it.each([[['--interval', 'soon']], [['--insecure=perhaps']], [['--nonsense', '1']]])(
    'refuses %j with the name of the flag',
    (args) => {
      expect(() => parseCommandLine(args)).toThrow(args[0]?.replace(/=.*/, ''));
    },
  );

  it('is combined with the environment', async () => {
    const line = parseCommandLine([...NEEDED, '--nats-url', 'nats://n:4222']);
    expect(await settingsOf(line, { PULL_SECRET_TOKEN: 'secret' })).toEqual({
      serviceUrl: 'http://m:8090',
      infraEnvId: ID,
      agentVersion: 'quay.io/agent:1',
      token: 'secret',
      isInsecure: false,
      nats: { url: 'nats://n:4222' },
    });
  });

  it.each([
    [['--infra-env-id', ID, '--agent-version', 'x'], '--url'],
    [['--url', 'http://m', '--agent-version', 'x'], '--infra-env-id'],
    [['--url', 'ftp://m', '--infra-env-id', ID, '--agent-version', 'x'], '--url must start with'],
    [[...NEEDED, '--host-id', 'x'], '--host-id must be a UUID'],
  ])('%j is refused with the name %s', async (args, named) => {
    await expect(settingsOf(parseCommandLine(args), {})).rejects.toThrow(named);
  });
});
