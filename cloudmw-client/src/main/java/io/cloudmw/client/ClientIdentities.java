package io.cloudmw.client;

import io.cloudmw.client.rpc.CertificateFiles;
import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.client.rpc.TokenCertificates;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.PemSource;
import io.cloudmw.core.tls.TlsFiles;
import java.util.Optional;
import java.util.concurrent.Executor;

/** Makes the certificates of a client from its options. Stateless; safe for any thread. */
final class ClientIdentities {
    private ClientIdentities() {}

    /** @param blocking runs the calls and reads by which the client gets certificates */
    static ClientCertificates of(CloudMwOptions options, Executor blocking) {
        HostPorts coordinators = HostPorts.parse(options.coordinator());
        ClientSecurity security = options.security() instanceof ClientSecurity.Default
                ? DefaultSecurity.of(options.coordinator(), System.getenv())
                : options.security();
        Optional<CertificateFiles> files =
                options.certificateDirectory().map(directory -> new CertificateFiles(directory, WallClock.system()));
        if (security instanceof ClientSecurity.Token token) {
            return ofToken(() -> AccessToken.parse(token.text()), coordinators, files, blocking);
        }
        if (security instanceof ClientSecurity.TokenFile given) {
            return ofToken(() -> TokenFile.read(given.file()), coordinators, files, blocking);
        }
        if (security instanceof ClientSecurity.Certificate given) {
            TlsFiles pem = new TlsFiles(given.key(), given.certificate(), given.authorities());
            return ClientCertificates.from(PemSource.unread(pem), blocking);
        }
        return ClientCertificates.none();
    }

    private static ClientCertificates ofToken(
            TokenCertificates.TokenSource tokens,
            HostPorts coordinators,
            Optional<CertificateFiles> files,
            Executor blocking) {
        return ClientCertificates.from(
                new TokenCertificates(coordinators, tokens, files, WallClock.system()), blocking);
    }
}
