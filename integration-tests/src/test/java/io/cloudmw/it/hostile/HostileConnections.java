package io.cloudmw.it.hostile;

import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.it.hostile.Conversation.Ending;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** An attacker's connections, so many at once. Safe for any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty's: a failed write or close closes the channel
final class HostileConnections implements AutoCloseable {
    private static final int AT_ONCE = 32;
    private static final int LINGER_SECONDS = 60;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Semaphore room = new Semaphore(AT_ONCE);
    private final AtomicLong answered = new AtomicLong();

    /** Returns how many connections were sent something by the other side. */
    long answered() {
        return answered.get();
    }

    /**
     * Holds a conversation, once fewer than the limit are under way.
     *
     * @param tls encrypts it; empty: plain text
     */
    void begin(InetSocketAddress address, Conversation conversation, Optional<SslContext> tls)
            throws InterruptedException {
        if (!room.tryAcquire(LINGER_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no connection ends");
        }
        new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, false)
                .option(ChannelOption.AUTO_READ, conversation.reading() || tls.isPresent())
                .option(ChannelOption.SO_LINGER, conversation.ending() == Ending.RESET ? 0 : -1)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        tls.ifPresent(context -> channel.pipeline().addLast(context.newHandler(channel.alloc())));
                        channel.pipeline().addLast(new Talk(conversation));
                    }
                })
                .connect(address)
                .channel()
                .closeFuture()
                .addListener(closed -> room.release());
    }

    /** Waits until all conversations have ended. */
    void settle() throws InterruptedException {
        if (!room.tryAcquire(AT_ONCE, LINGER_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(AT_ONCE - room.availablePermits() + " connections do not end");
        }
        room.release(AT_ONCE);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** The handler of a conversation. It looks for the first frame about a stream in what the other side sends. */
    private final class Talk extends ChannelInboundHandlerAdapter {
        private final Conversation conversation;
        private final ByteBuf header = Unpooled.buffer(FrameHeader.BYTES, FrameHeader.BYTES);
        private int skipping;
        private boolean answeredHere;
        private boolean secondSent;

        Talk(Conversation conversation) {
            this.conversation = conversation;
            this.secondSent = conversation.second().isEmpty();
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            boolean all = secondSent
                    || conversation.first().isEmpty()
                    || !ctx.channel().config().isAutoRead();
            ctx.writeAndFlush(Unpooled.wrappedBuffer(conversation.first().asReadOnlyByteBuffer()))
                    .addListener(written -> {
                        if (all || !written.isSuccess()) {
                            end(ctx.channel());
                        }
                    });
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                if (!answeredHere) {
                    answeredHere = true;
                    answered.incrementAndGet();
                }
                while (!secondSent && bytes.isReadable()) {
                    look(ctx, bytes);
                }
            } finally {
                bytes.release();
            }
        }

        private void look(ChannelHandlerContext ctx, ByteBuf bytes) {
            int skipped = Math.min(skipping, bytes.readableBytes());
            bytes.skipBytes(skipped);
            skipping -= skipped;
            header.writeBytes(bytes, Math.min(header.writableBytes(), bytes.readableBytes()));
            if (header.isWritable()) {
                return;
            }
            skipping = header.getInt(8);
            int type = header.getByte(2);
            if (type != FrameType.HELLO_ACK.code() && type != FrameType.PONG.code()) {
                secondSent = true;
                ctx.writeAndFlush(Unpooled.wrappedBuffer(conversation.second().asReadOnlyByteBuffer()))
                        .addListener(written -> end(ctx.channel()));
            }
            header.clear();
        }

        private void end(Channel channel) {
            // Without reads it would not notice that the other side closes.
            boolean waits = conversation.ending() == Ending.END_OF_OUTPUT
                    && channel.config().isAutoRead()
                    && channel.pipeline().get(SslHandler.class) == null;
            if (waits) {
                ((SocketChannel) channel).shutdownOutput().addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
            } else {
                channel.close();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            header.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
