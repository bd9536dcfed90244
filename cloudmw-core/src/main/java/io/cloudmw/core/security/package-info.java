/**
 * Tokens that let their bearer move the bytes of one version, and the secret that signs them. Safe for any thread;
 * nothing here prints a secret.
 */
@NullMarked
package io.cloudmw.core.security;

import org.jspecify.annotations.NullMarked;
