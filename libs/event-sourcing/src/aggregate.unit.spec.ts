import { CommandLog } from './aggregate';

describe('The log of the commands of a stream', () => {
  it('finds the place that the last event of a command reached', () => {
    const log = new CommandLog();
    log.remember('first', 7, 0);
    log.remember('first', 8, 1);
    log.remember('second', 9, 2);
    expect(['first', 'second', 'third'].map((id) => log.find(id))).toEqual([
      { position: 8, revision: 1 },
      { position: 9, revision: 2 },
      undefined,
    ]);
  });

  it('removes the earliest of more than 1,024 commands', () => {
    const log = new CommandLog();
    for (let index = 0; index <= 1_024; index += 1) log.remember(String(index), index, index);
    expect([0, 1, 1_024].map((index) => log.find(String(index))?.position)).toEqual([undefined, 1, 1_024]);
  });
});
