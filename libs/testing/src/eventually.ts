/** How long a test waits for something that happens elsewhere before it calls that a failure. */
const TIMEOUT_MS = 15_000;
const LOOK_AGAIN_MS = 5;

/** Resolves once `happened` says so; the bound only turns a hang into a failure that names what did not happen. */
export const eventually = async (what: string, happened: () => boolean | Promise<boolean>): Promise<void> => {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  while (!(await happened())) {
    if (Date.now() > giveUpAt) throw new Error(`This did not happen within ${TIMEOUT_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
};
