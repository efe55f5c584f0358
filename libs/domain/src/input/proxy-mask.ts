/** Stands in a proxy's URL for the user and password that are sealed elsewhere. */
export const PROXY_MASK = '*****';

const CREDENTIALS = /^([a-z]+:\/\/)[^\s/@]*@/;

/** The URL as it may be stored and shown. URLs without credentials, and what is no URL at all, stay as they are. */
export const maskedProxyUrl = (url: string): string => url.replace(CREDENTIALS, `$1${PROXY_MASK}@`);

/** Returns whether the URL carries the mask that is shown instead of credentials. */
export const isMaskedProxyUrl = (url: string): boolean => CREDENTIALS.test(url) && maskedProxyUrl(url) === url;
