import { operatorSettings, SETTINGS, timeoutSettings } from '@muster/nest-kit';
import { settingsPage } from './settings-page';

describe('The page of settings', () => {
  const page = settingsPage();

  it('lists every setting, timeout and operator setting', () => {
    const names = [
      ...Object.keys(SETTINGS),
      ...[...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name),
    ];
    expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });

  it('shows defaults in the notation of their settings', () => {
    expect(page).toMatch(/\| `HOST_MAX_DISCONNECTION_TIME` \| duration \| 3m \| registration \|/);
    expect(page).toMatch(/\| `REST_PORT`, alias `PORT` \| port \| `8090` \| gateway \|/);
  });
});
