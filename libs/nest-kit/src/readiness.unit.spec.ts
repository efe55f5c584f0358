import { Readiness } from './http-endpoint';

describe('readiness', () => {
  it('lists each part that is not ready with its current reason', () => {
    const readiness = new Readiness();
    let reason: string | undefined = 'replaying events';
    readiness.register('views', () => reason);
    readiness.register('bus', () => undefined);
    expect(readiness.notReady()).toEqual([{ part: 'views', reason }]);
    reason = undefined;
    expect(readiness.notReady()).toEqual([]);
  });
});
