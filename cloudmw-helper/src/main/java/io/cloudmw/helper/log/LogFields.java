package io.cloudmw.helper.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.fasterxml.jackson.core.JsonGenerator;
import io.cloudmw.coordinator.rpc.audit.Caller;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.compete.TransferSpec;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import net.logstash.logback.composite.AbstractJsonProvider;
import org.jspecify.annotations.Nullable;

/**
 * The fields that an event has in a JSON line beside its message: the ids among the message's values, by their types.
 * The text format has the same values in the message only. Logback makes an instance by its name in
 * {@code log-json.xml}.
 */
public final class LogFields extends AbstractJsonProvider<ILoggingEvent> {
    /** The id of a transfer, the same at all of its helpers. */
    public static final String TRANSFER = "transfer";

    public static final String CHUNK = "chunk";
    public static final String HELPER = "helper";
    public static final String STORE = "store";
    public static final String VOLUME = "volume";
    public static final String PATH = "path";

    /** The caller of a call: its address, and the name that it gives itself. */
    public static final String SUBJECT = "subject";

    /** An error code. */
    public static final String CODE = "code";

    @Override
    public void writeTo(JsonGenerator generator, ILoggingEvent event) throws IOException {
        for (Map.Entry<String, String> field : of(event.getArgumentArray()).entrySet()) {
            generator.writeStringField(field.getKey(), field.getValue());
        }
    }

    /** Returns the fields of a message with these values; where two values have one field, the first counts. */
    static Map<String, String> of(@Nullable Object @Nullable [] values) {
        Map<String, String> fields = new LinkedHashMap<>();
        if (values != null) {
            for (Object value : values) {
                if (value != null) {
                    add(fields, value);
                }
            }
        }
        return fields;
    }

    private static void add(Map<String, String> fields, Object value) {
        if (value instanceof TransferSpec transfer) {
            fields.putIfAbsent(TRANSFER, transfer.id());
            add(fields, transfer.claims().file());
        } else if (value instanceof WantedBlock block) {
            add(fields, block.leaves().chunk());
        } else if (value instanceof ReplicaReport report) {
            add(fields, report.chunk());
            add(fields, report.store());
        } else if (value instanceof FilePath file) {
            add(fields, file.volume());
            fields.putIfAbsent(PATH, file.path());
        } else if (value instanceof CloudMwException failure) {
            add(fields, failure.code());
        } else {
            String name = name(value);
            if (name != null) {
                fields.putIfAbsent(name, value.toString());
            }
        }
    }

    private static @Nullable String name(Object value) {
        if (value instanceof ChunkId) {
            return CHUNK;
        }
        if (value instanceof HelperId) {
            return HELPER;
        }
        if (value instanceof StoreId) {
            return STORE;
        }
        if (value instanceof VolumeName) {
            return VOLUME;
        }
        if (value instanceof Caller) {
            return SUBJECT;
        }
        return value instanceof ErrorCode ? CODE : null;
    }
}
