import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import java.util.concurrent.CountDownLatch;

/** Echoes framed messages between Netty channels in the process; the argument is how many thousands. */
public final class Echo {
    private Echo() {
    }

    private static final class Framed extends ChannelInitializer<Channel> {
        private final ChannelInboundHandlerAdapter last;

        Framed(ChannelInboundHandlerAdapter last) {
            this.last = last;
        }

        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new LengthFieldBasedFrameDecoder(1 << 16, 0, 4, 0, 4), new LengthFieldPrepender(4), last);
        }
    }

    private static final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    private static final class Ask extends SimpleChannelInboundHandler<ByteBuf> {
        private final CountDownLatch done = new CountDownLatch(1);
        private final Progress progress;
        private final long messages;
        private long left;
        private long checksum;

        Ask(long messages) {
            this.messages = messages;
            left = messages;
            progress = new Progress(messages);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < 16; i++) {
                send(context, i);
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf answer) {
            checksum += answer.readInt();
            left--;
            if (left % 1000 == 0) {
                progress.done(messages - left);
            }
            if (left == 0) {
                done.countDown();
                context.close();
            } else if (left >= 16) {
                send(context, (int) left);
            }
        }

        private static void send(ChannelHandlerContext context, int value) {
            context.writeAndFlush(context.alloc().buffer(256).writeInt(value).writeZero(200));
        }
    }

    public static void main(String[] args) throws Exception {
        // One loop: two would mostly wake each other up, and their CPU time would vary from run to run.
        DefaultEventLoopGroup group = new DefaultEventLoopGroup(1);
        LocalAddress address = new LocalAddress("echo");
        new ServerBootstrap().group(group).channel(LocalServerChannel.class).childHandler(new Framed(new Answer()))
                .bind(address).sync();
        Ask ask = new Ask(Long.parseLong(args[0]) * 1000);
        Channel client = new Bootstrap().group(group).channel(LocalChannel.class).handler(new Framed(ask)).connect(address)
                .sync().channel();
        ask.done.await();
        client.closeFuture().sync();
        System.out.println(ask.checksum);
        group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
    }
}
