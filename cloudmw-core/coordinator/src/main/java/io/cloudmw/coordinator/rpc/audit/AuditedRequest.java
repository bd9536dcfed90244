package io.cloudmw.coordinator.rpc.audit;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.cloudmw.core.audit.AuditText;
import io.cloudmw.proto.v1.CallId;
import io.cloudmw.proto.v1.EnrolRequest;
import java.util.UUID;

/**
 * A request as logs name it.
 *
 * @param id the call's own id, which all tries of it have; otherwise drawn here
 * @param text its fields, without secrets; empty: not known
 */
record AuditedRequest(String id, String text) {
    private static final int MAX_ID = 64;
    private static final int MAX_TEXT = 4096;
    private static final int MAX_SHORT_TEXT = 500;

    /** A call that ended before its request came. */
    static AuditedRequest unread() {
        return new AuditedRequest(UUID.randomUUID().toString(), "");
    }

    /** Its fields as the log of the process shows them. */
    String shortText() {
        return AuditText.plain(text, MAX_SHORT_TEXT);
    }

    static AuditedRequest of(Message message) {
        String id = idOf(message);
        return new AuditedRequest(id.isEmpty() ? UUID.randomUUID().toString() : id, LogText.of(message, MAX_TEXT));
    }

    /** Returns the call's own id, which all tries of it have; of a helper's enrolment its nonce; empty: it has none. */
    static String idOf(Message message) {
        if (message instanceof EnrolRequest enrolment) {
            return AuditText.plain(enrolment.getJoin().getNonce(), MAX_ID);
        }
        FieldDescriptor call = message.getDescriptorForType().findFieldByName("call");
        return call != null && !call.isRepeated() && message.getField(call) instanceof CallId known
                ? AuditText.plain(known.getId(), MAX_ID)
                : "";
    }
}
