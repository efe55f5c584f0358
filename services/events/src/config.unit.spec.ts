import { SettingError } from '@muster/nest-kit';
import { readConfig } from './config';

describe('configuration', () => {
  test('limits given are merged over those that always apply', () => {
    const { noteIntervalsMs } = readConfig({ EVENT_RATE_LIMITS: '{"reboots_for_node":"90s"}' });
    expect(Object.fromEntries(noteIntervalsMs)).toMatchObject({
      reboots_for_node: 90_000,
      upgrade_agent_started: 3_600_000,
    });
  });

  test.each(['{"a":"soon"}', '{"a":1}', '[]', 'null', 'nonsense'])('%s stops the start', (EVENT_RATE_LIMITS) => {
    expect(() => readConfig({ EVENT_RATE_LIMITS })).toThrow(SettingError);
  });
});
