package io.cloudmw.client.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.tls.TlsMaterial;

/** The certificate that a call or a watch showed at its last try, and whether a refusal may pass on a new connection. */
final class ShownCertificate {
    private final ClientCertificates certificates;
    private volatile TlsMaterial material = TlsMaterial.NONE;
    private volatile boolean connectedAnew;

    ShownCertificate(ClientCertificates certificates) {
        this.certificates = certificates;
    }

    /** A try begins, and is not sent yet. */
    void begun() {
        material = TlsMaterial.NONE;
    }

    /** The try is sent. */
    void sent() {
        material = certificates.material();
    }

    /** The server has answered. */
    void answered() {
        connectedAnew = false;
    }

    /**
     * Returns whether a failed try may pass on a new connection: with another certificate, or because the failure is that
     * of an earlier attempt to connect. The channel keeps that for a while, and an idle client's certificate may have
     * ended meanwhile, with a new one at hand. The latter is true once before the next answer.
     */
    boolean mayPassOnNewConnection(CloudMwException failure) {
        if (certificates.mayPassWithOther(material, failure)) {
            return true;
        }
        boolean first = !connectedAnew && material.own().isPresent() && failure.code() == ErrorCode.TLS_FAILED;
        connectedAnew |= first;
        return first;
    }
}
