import { reach, StartError } from './start-error';

const failing = (message: string, code?: string): Error => Object.assign(new Error(message), code ? { code } : {});

describe('a server that the start requires', () => {
  const reports: string[] = [];
  const options = { setting: 'MONGODB_URL', waitMs: 60_000, report: (text: string) => reports.push(text) } as const;
  beforeEach(() => void reports.splice(0));

  it('is waited for while it is not reachable', async () => {
    const errors = [failing('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), undefined];
    const open = (): Promise<string> => {
      const error = errors.shift();
      return error ? Promise.reject(error) : Promise.resolve('open');
    };
    expect(await reach(open, options)).toBe('open');
    expect(reports).toEqual(['waiting for the server of MONGODB_URL: connect ECONNREFUSED 127.0.0.1:1']);
  });

  it('ends the start when it stays unreachable, with the name of the setting', async () => {
    const open = (): Promise<never> => Promise.reject(new Error('no answer.', { cause: failing('x', 'ENOTFOUND') }));
    await expect(reach(open, { ...options, waitMs: 0 })).rejects.toThrow(
      /MONGODB_URL was not reachable for 0 s: no answer\. Start it, or correct MONGODB_URL/,
    );
  });

  it('ends the start immediately when it refuses the connection, without a part of the password', async () => {
    const open = (): Promise<never> => Promise.reject(failing('bad auth for mongodb://user:hunter2@host/db'));
    const refused = reach(open, options);
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(
      /refuses the connection: bad auth for mongodb:\/\/user:\*\*\*@host\/db\. Check the address and the credentials/,
    );
  });
});
