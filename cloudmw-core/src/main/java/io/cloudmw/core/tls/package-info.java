/**
 * The identities of processes and the encryption of their links: certificates, keys, the certificates of authorities, and
 * the TLS contexts of both planes. Safe for any thread; nothing here prints a key.
 */
@NullMarked
package io.cloudmw.core.tls;

import org.jspecify.annotations.NullMarked;
