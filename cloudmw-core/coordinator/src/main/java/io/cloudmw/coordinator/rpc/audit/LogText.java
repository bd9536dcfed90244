package io.cloudmw.coordinator.rpc.audit;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.cloudmw.core.audit.AuditText;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Conversions of text from other processes to one line of a log. */
final class LogText {
    private static final int MAX_REQUEST_CHARACTERS = 500;

    /** The fields left out of the log: the call id identifies an attempt, and says nothing about the request. */
    private static final Set<String> LEFT_OUT = Set.of("call");

    private static final Pattern SECRET = Pattern.compile("secret|token|password|access_key|external_id|credential");

    private LogText() {}

    /**
     * Returns the request's fields that are set, such as {@code name=data replicas=2 store_ids=[d1, d2]}; secrets are
     * redacted.
     */
    static String of(Message request) {
        return of(request, MAX_REQUEST_CHARACTERS);
    }

    /** Returns the same with at most {@code max} characters. */
    static String of(Message request, int max) {
        StringBuilder text = new StringBuilder();
        append(text, request, max);
        return AuditText.plain(text.toString(), max);
    }

    private static void append(StringBuilder text, Message message, int max) {
        String separator = "";
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            String name = entry.getKey().getName();
            if (LEFT_OUT.contains(name) || text.length() > max) {
                continue;
            }
            text.append(separator).append(name).append('=');
            separator = " ";
            appendValue(text, name, entry.getValue(), max);
        }
    }

    private static void appendValue(StringBuilder text, String name, Object value, int max) {
        if (value instanceof Message nested) {
            text.append('{');
            append(text, nested, max);
            text.append('}');
        } else if (SECRET.matcher(name).find()) {
            text.append("<redacted>");
        } else if (value instanceof List<?> values) {
            text.append('[');
            String separator = "";
            for (Object one : values) {
                text.append(separator);
                appendValue(text, name, one, max);
                separator = ", ";
                if (text.length() > max) {
                    break;
                }
            }
            text.append(']');
        } else if (value instanceof ByteString bytes) {
            text.append('<').append(bytes.size()).append(" bytes>");
        } else if (value instanceof String string) {
            // Not all of it: a stranger may send as much as a request may have.
            text.append(string, 0, Math.min(string.length(), max + 1));
        } else {
            text.append(value);
        }
    }
}
