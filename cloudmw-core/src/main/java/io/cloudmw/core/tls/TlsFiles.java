package io.cloudmw.core.tls;

import java.nio.file.Path;

/**
 * The PEM files of a process. They may be one and the same.
 *
 * @param key the private key; only its owner may read it
 * @param certificate the key's certificate, then those of the authorities between it and a trusted one
 * @param authorities the certificates of the trusted authorities
 */
public record TlsFiles(Path key, Path certificate, Path authorities) {
    /** The same file for all three. */
    public static TlsFiles in(Path file) {
        return new TlsFiles(file, file, file);
    }
}
