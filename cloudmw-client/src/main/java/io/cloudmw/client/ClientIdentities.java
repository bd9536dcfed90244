package io.cloudmw.client;

import io.cloudmw.client.rpc.ClientCertificates;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.rpc.EnrolmentCall;
import io.cloudmw.core.security.AccessToken;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.tls.CertificateRefresh;
import io.cloudmw.core.tls.PemSource;
import io.cloudmw.core.tls.TlsFiles;
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
        if (security instanceof ClientSecurity.Token token) {
            return ofToken(() -> AccessToken.parse(token.text()), coordinators, blocking);
        }
        if (security instanceof ClientSecurity.TokenFile given) {
            return ofToken(() -> TokenFile.read(given.file()), coordinators, blocking);
        }
        if (security instanceof ClientSecurity.Certificate given) {
            TlsFiles files = new TlsFiles(given.key(), given.certificate(), given.authorities());
            return ClientCertificates.from(PemSource.unread(files), blocking);
        }
        return ClientCertificates.none();
    }

    private interface TokenSource {
        AccessToken token() throws CloudMwException;
    }

    private static ClientCertificates ofToken(TokenSource source, HostPorts coordinators, Executor blocking) {
        return ClientCertificates.from(
                CertificateRefresh.renewing(
                        present -> EnrolmentCall.client(coordinators, source.token(), present.authorities()),
                        WallClock.system()),
                blocking);
    }
}
