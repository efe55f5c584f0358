/**
 * Returns the settings of the embedded profile in a test: a directory of its own, free ports that only this machine reaches, and no
 * downloads of live images.
 */
export const embeddedSettings = (dataDirectory: string) => ({
  MUSTER_DATA_DIRECTORY: dataDirectory,
  MUSTER_SIMULATED_IMAGE: 'false',
  OS_IMAGES_FETCH: 'stream',
  REST_HOST: '127.0.0.1',
  REST_PORT: '0',
  IMAGE_HOST: '127.0.0.1',
  IMAGE_PORT: '0',
});
