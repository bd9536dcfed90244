package io.cloudmw.it.hostile;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * A generator of encoded messages of any type: empty ones, such with random fields, and both with bytes that are
 * changed, missing or added. The same seed gives the same messages. Used by one thread.
 */
final class MessageGenerator {
    private static final int DEEPEST = 4;
    private static final int LONGEST_TEXT = 200_000;
    private static final List<Long> NUMBERS = List.of(
            0L,
            1L,
            2L,
            -1L,
            63L,
            (long) Integer.MAX_VALUE,
            (long) Integer.MIN_VALUE,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            1L << 20,
            1L << 40);

    private final SplittableRandom random;
    private final List<String> texts;

    /** @param texts that mean something to the other side */
    MessageGenerator(long seed, List<String> texts) {
        this.random = new SplittableRandom(seed);
        this.texts = List.copyOf(texts);
    }

    byte[] next(Descriptor type) {
        byte[] message = message(type, 0).toByteArray();
        return switch (random.nextInt(8)) {
            case 0 -> new byte[0];
            case 1 -> changed(message);
            case 2 -> Arrays.copyOf(message, random.nextInt(message.length + 1));
            case 3 -> changed(Arrays.copyOf(message, message.length + 1 + random.nextInt(40)));
            case 4 -> noise();
            default -> message;
        };
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] changed(byte[] message) {
        for (int i = random.nextInt(4); i >= 0 && message.length > 0; i--) {
            message[random.nextInt(message.length)] = (byte) random.nextInt();
        }
        return message;
    }

    private DynamicMessage message(Descriptor type, int depth) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        int dense = 1 + random.nextInt(4);
        for (FieldDescriptor field : type.getFields()) {
            if (random.nextInt(4) >= dense) {
                continue;
            }
            if (field.isRepeated()) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    message.addRepeatedField(field, value(field, depth));
                }
            } else {
                message.setField(field, value(field, depth));
            }
        }
        return message.build();
    }

    private Object value(FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case INT -> (int) number();
            case LONG -> number();
            case FLOAT -> (float) fraction();
            case DOUBLE -> fraction();
            case BOOLEAN -> random.nextBoolean();
            case STRING -> text();
            case BYTE_STRING -> ByteString.copyFrom(noise());
            case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(-1, 9));
            case MESSAGE ->
                depth < DEEPEST
                        ? message(field.getMessageType(), depth + 1)
                        : DynamicMessage.getDefaultInstance(field.getMessageType());
        };
    }

    private long number() {
        return random.nextInt(4) == 0 ? random.nextLong() : NUMBERS.get(random.nextInt(NUMBERS.size()));
    }

    private double fraction() {
        return switch (random.nextInt(5)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> -1;
            case 3 -> Double.MIN_VALUE;
            default -> random.nextDouble();
        };
    }

    private String text() {
        return switch (random.nextInt(12)) {
            case 0 -> "";
            case 1 -> "x".repeat(random.nextInt(2000));
            case 2 -> random.nextInt(30) == 0 ? "\u00e9".repeat(random.nextInt(LONGEST_TEXT)) : "/" + random.nextInt();
            case 3 -> new UUID(random.nextLong(), random.nextLong()).toString();
            case 4 -> "/../" + "a/".repeat(random.nextInt(600));
            case 5 -> "a\u0000b\u001b[2J\r\n\u202e%s{}";
            case 6 -> Long.toString(random.nextLong());
            default -> texts.get(random.nextInt(texts.size()));
        };
    }
}
