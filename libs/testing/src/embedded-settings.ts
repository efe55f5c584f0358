/** Returns the settings of the embedded profile in a test: a directory of its own, and free ports that only this machine reaches. */
export const embeddedSettings = (dataDirectory: string) => ({
  MUSTER_DATA_DIRECTORY: dataDirectory,
  MUSTER_SIMULATED_IMAGE: 'false',
  REST_HOST: '127.0.0.1',
  REST_PORT: '0',
  IMAGE_HOST: '127.0.0.1',
  IMAGE_PORT: '0',
});
