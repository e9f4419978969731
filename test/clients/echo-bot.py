"""A bot for the bot library: it says again what it is told, and counts."""


class EchoHandler:
    def usage(self):
        return "Says again what it is told."

    def handle_message(self, message, bot_handler):
        bot_handler.send_reply(message, "You said: " + message["content"])


handler_class = EchoHandler
